/** A refusal whose text an operator reads. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
