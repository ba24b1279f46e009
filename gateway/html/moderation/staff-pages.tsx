import type { Answer } from '../../http/route.js';
import type { AuditedAct } from '../../moderation/audit.js';
import type { Account } from '../../pages/account/account.js';
import { Pager } from '../parts/pager.js';
import { People } from '../parts/person.js';
import { Time } from '../parts/time.js';
import type { Site } from '../site.js';
import { moderationAnswer, type Staff } from './frame.js';

/** Renders acts of moderators and of the operator, newest first. */
export function auditPage(
  site: Site,
  reader: Staff,
  log: {
    readonly acts: readonly AuditedAct[];
    readonly newer: string | undefined;
    readonly older: string | undefined;
  },
): Answer {
  const { acts, ...links } = log;
  const texts = reader.texts.moderation;
  const content = (
    <>
      {acts.length === 0 ? (
        <p>{reader.texts.shell.nothingHere}</p>
      ) : (
        <ul class="rows">
          {acts.map(({ id, at, by, action, target, name, detail }) => (
            <li key={id}>
              <p class="group">
                <strong>{by}</strong> <span class="mark">{action}</span>
                {name === undefined ? <code>{target}</code> : <a href={`/moderation/accounts/${target}`}>@{name}</a>}
              </p>
              {detail !== undefined && <p>{detail}</p>}
              <p class="next">
                <Time iso={at} language={reader.language} />
              </p>
            </li>
          ))}
        </ul>
      )}
      <Pager {...links} texts={reader.texts} />
    </>
  );
  return moderationAnswer(site, reader, { title: texts.audit, path: '/moderation/audit' }, content);
}

/** A role, its permissions by their names in the API, and its people. */
interface ShownRole {
  readonly name: string;
  readonly permissions: readonly string[];
  readonly people: readonly Account[];
}

/** Renders the roles. The operator gives them with the command line. */
export function rolesPage(site: Site, reader: Staff, roles: readonly ShownRole[]): Answer {
  const texts = reader.texts.moderation;
  const content = (
    <>
      <p class="soft">{texts.rolesHint}</p>
      {roles.map(({ name, permissions, people }) => (
        <section key={name} class="card">
          <h2>{name}</h2>
          <p class="group">
            {permissions.map((permission) => (
              <span key={permission} class="mark">
                {permission}
              </span>
            ))}
          </p>
          {people.length > 0 && <People accounts={people} />}
        </section>
      ))}
    </>
  );
  return moderationAnswer(site, reader, { title: texts.roles, path: '/moderation/roles' }, content);
}
