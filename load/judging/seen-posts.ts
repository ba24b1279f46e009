import { type StatusJson, statusesIn } from '../clients/json.js';
import type { Witness } from './observer.js';
import { type Findings, judgeTimeline, type Sighting } from './verdicts.js';

/** Recognises the run's posts in what the server answers. */
export class Sightings {
  constructor(
    private readonly witness: Witness,
    private readonly findings: Findings,
  ) {}

  /** The run's posts among them, in the same order; reblogs are somebody else's. */
  in(statuses: readonly StatusJson[]): Sighting[] {
    return statuses.flatMap(({ id, content, reblog }) => {
      const post = reblog ? undefined : this.witness.find(content);
      return post === undefined ? [] : [{ post, id }];
    });
  }

  /** A page that was read during the run, newest first. @throws NoAnswer when it is none */
  judgePage(place: string, json: string): void {
    judgeTimeline(place, this.in(statusesIn(json)), this.findings);
  }
}
