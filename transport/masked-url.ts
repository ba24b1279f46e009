const MASK = '•••';

/** The addresses in a text without their user names, passwords and tokens. */
export function masked(text: string): string {
  return text.replace(/\/\/[^/@,\s]*@/g, `//${MASK}@`);
}
