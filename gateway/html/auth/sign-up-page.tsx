import type { Answer } from '../../http/route.js';
import { htmlAnswer } from '../page.js';
import { Labelled } from '../parts/form.js';
import type { Reader, Site } from '../site.js';

/** State of the form of a sign-up: what was typed, and the codes of what is wrong with it, by field. */
export interface SignUpForm {
  readonly csrf: string;
  readonly cookie?: string | undefined;
  /** Authorization request that a client waits for. */
  readonly next: string;
  /** Invitation of somebody who has an account; empty without one. */
  readonly invite: string;
  readonly rules: readonly { readonly text: string; readonly hint: string }[];
  readonly needsApproval: boolean;
  readonly passwordCharsMin: number;
  readonly username: string;
  readonly email: string;
  readonly reason: string;
  readonly faults: Readonly<Record<string, readonly string[]>>;
  /** Message above the form. */
  readonly fault?: string;
  readonly status?: number;
}

type Faults = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Renders the form of a sign-up. */
export function signUpPage(site: Site, reader: Reader, form: SignUpForm): Answer {
  const { texts } = reader;
  const { auth } = texts;
  const title = auth.signUp(site.title);
  const wrong = (field: string): string | undefined => {
    const [code] = form.faults[field] ?? [];
    return code === undefined ? undefined : ((auth.faults as Faults)[field]?.[code] ?? auth.unfit);
  };
  const described = (field: string) => ({
    'aria-describedby': `${field}-hint${wrong(field) === undefined ? '' : ` ${field}-wrong`}`,
    'aria-invalid': wrong(field) !== undefined,
  });
  const signIn = form.next === '' ? '/auth/sign_in' : `/oauth/authorize?${form.next}`;
  const hint = auth.passwordHint(form.passwordCharsMin);
  const body = (
    <>
      <h1>{title}</h1>
      {form.fault !== undefined && (
        <p class="fault" role="alert">
          {form.fault}
        </p>
      )}
      {form.invite !== '' && <p>{auth.invited}</p>}
      <form method="post" action="/auth/sign_up">
        <input type="hidden" name="csrf" value={form.csrf} />
        <input type="hidden" name="next" value={form.next} />
        <input type="hidden" name="invite" value={form.invite} />
        <Labelled
          name="username"
          label={auth.username}
          hint={auth.usernameHint(site.instance.domain)}
          wrong={wrong('username')}
        >
          <input
            id="username"
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellcheck={false}
            required
            maxLength={30}
            value={form.username}
            {...described('username')}
          />
        </Labelled>
        <Labelled name="email" label={auth.email} hint={auth.emailHint} wrong={wrong('email')}>
          <input
            id="email"
            name="email"
            type="email"
            autoComplete="email"
            required
            maxLength={254}
            value={form.email}
            {...described('email')}
          />
        </Labelled>
        <Labelled name="password" label={auth.password} hint={hint} wrong={wrong('password')}>
          <input
            id="password"
            name="password"
            type="password"
            autoComplete="new-password"
            required
            minLength={form.passwordCharsMin}
            maxLength={128}
            {...described('password')}
          />
        </Labelled>
        {form.needsApproval && (
          <Labelled name="reason" label={auth.reason} hint={auth.reasonHint}>
            <textarea id="reason" name="reason" maxLength={2_000} aria-describedby="reason-hint">
              {form.reason}
            </textarea>
          </Labelled>
        )}
        <Agreement form={form} reader={reader} wrong={wrong('agreement')} />
        <button type="submit">{auth.submit}</button>
      </form>
      <p>
        {auth.haveAccount} <a href={signIn}>{auth.signIn}</a>
      </p>
    </>
  );
  const { cookie, status } = form;
  const view = { title, width: 'form', isUnlisted: true, cookie, ...(status !== undefined && { status }) } as const;
  return htmlAnswer(site, reader, view, body);
}

function Agreement({
  form,
  reader: { texts },
  wrong,
}: {
  readonly form: SignUpForm;
  readonly reader: Reader;
  readonly wrong: string | undefined;
}) {
  const { auth, shell } = texts;
  return (
    <fieldset>
      <legend>{auth.rules}</legend>
      {form.rules.length > 0 && (
        <ol>
          {form.rules.map(({ text, hint }, index) => (
            <li key={index}>
              {text} {hint !== '' && <span class="soft small">{hint}</span>}
            </li>
          ))}
        </ol>
      )}
      <p>
        <a href="/privacy-policy">{shell.privacy}</a>
      </p>
      <label class="check">
        <input type="checkbox" name="agreement" value="true" required aria-invalid={wrong !== undefined} />
        <span>{auth.agree}</span>
      </label>
      {wrong !== undefined && (
        <span class="wrong" role="alert">
          {wrong}
        </span>
      )}
    </fieldset>
  );
}

/** Renders the page after a sign-up. It is the same for an address that has an account already. */
export function lookIntoMailPage(
  site: Site,
  reader: Reader,
  after: {
    readonly csrf: string;
    readonly email: string;
    readonly next: string;
    readonly isSentAgain: boolean;
    readonly needsApproval: boolean;
    readonly cookie?: string | undefined;
    readonly status?: number;
  },
): Answer {
  const { auth } = reader.texts;
  const body = (
    <>
      <h1>{auth.lookTitle}</h1>
      {after.isSentAgain && (
        <p class="done" role="status">
          {auth.sentAgain}
        </p>
      )}
      <p>{auth.look(after.email)}</p>
      {after.needsApproval && <p>{auth.lookApproval}</p>}
      <p class="soft">{auth.notThere}</p>
      <form method="post" action="/auth/confirmation/again">
        <input type="hidden" name="csrf" value={after.csrf} />
        <input type="hidden" name="next" value={after.next} />
        <input type="hidden" name="email" value={after.email} />
        <button type="submit" class="plain">
          {auth.again}
        </button>
      </form>
      <p>
        <a href={after.next === '' ? '/auth/sign_in' : `/oauth/authorize?${after.next}`}>{auth.signIn}</a>
      </p>
    </>
  );
  const { cookie, status = 200 } = after;
  return htmlAnswer(site, reader, { title: auth.lookTitle, width: 'form', isUnlisted: true, cookie, status }, body);
}

/** Renders the page of a server that takes no new accounts. */
export function closedPage(site: Site, reader: Reader, message: string | undefined): Answer {
  const { auth, shell } = reader.texts;
  const title = auth.signUp(site.title);
  const body = (
    <>
      <h1>{title}</h1>
      <p>{message ?? auth.closed}</p>
      <p>
        <a href="/about">{shell.about}</a>
      </p>
    </>
  );
  return htmlAnswer(site, reader, { title, width: 'form', isUnlisted: true, status: 403 }, body);
}
