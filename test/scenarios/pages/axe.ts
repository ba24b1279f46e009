import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** Program of axe-core, for a page. */
const program = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Runs axe-core in a page and returns what it finds. `only` names its rules. */
export async function axeFaults(page: Page, only?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(program);
  // Otherwise axe-core also makes a selector for each element in which it found nothing.
  const rules = only === undefined ? {} : { runOnly: { type: 'rule', values: only } };
  const options = { ...rules, resultTypes: ['violations'] };
  return page.evaluate(async (chosen) => {
    const { violations } = await (globalThis as unknown as Axe).axe.run(document, chosen);
    return violations.map(({ id, nodes }) => `axe ${id}: ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.failureSummary}`);
  }, options);
}

interface Axe {
  readonly axe: {
    run(
      root: unknown,
      options: object,
    ): Promise<{
      readonly violations: readonly {
        readonly id: string;
        readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
      }[];
    }>;
  };
}
