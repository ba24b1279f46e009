import { type StatusJson, statusesIn } from '../clients/json.js';
import type { Observer } from './observer.js';
import { type Findings, judgeTimeline, type Sighting } from './verdicts.js';

/** Recognises the run's posts in the server's answers. */
export class SeenPosts {
  constructor(
    private readonly witness: Observer,
    private readonly findings: Findings,
  ) {}

  /** Returns the run's posts among the statuses, in the same order; reblogs are ignored. */
  in(statuses: readonly StatusJson[]): Sighting[] {
    return statuses.flatMap(({ id, content, reblog }) => {
      const post = reblog ? undefined : this.witness.find(content);
      return post === undefined ? [] : [{ post, id }];
    });
  }

  /** Judges a page that was read during the run, newest first. @throws NoAnswer when it is not a page */
  judgePage(place: string, json: string): void {
    judgeTimeline(place, this.in(statusesIn(json)), this.findings);
  }
}
