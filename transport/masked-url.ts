const MASK = '•••';

/** Masks user names, passwords and tokens of the addresses in a text. */
export function masked(text: string): string {
  return text.replace(/\/\/[^/@,\s]*@/g, `//${MASK}@`);
}
