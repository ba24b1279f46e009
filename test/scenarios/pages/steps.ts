import type { Locator, Page } from 'playwright-core';
import { until } from '../../kit/time/until.js';
import type { Login } from './town.js';

/** Timeout of a step: pages take milliseconds, a cold browser on a busy machine longer. */
export const STEP_MS_MAX = 120_000;

/** Fills in the form of the sign-in, which the page shows, and sends it. */
export async function signIn(page: Page, { email, password }: Login): Promise<void> {
  await page.getByLabel('E-mail address or username').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/**
 * Loads the page again until it shows the element. Effects of an action can be later than its answer, and a page without a
 * script shows the state at the time when it was loaded.
 */
export async function reloadUntil(page: Page, shown: Locator): Promise<void> {
  const look = async () => {
    if (await shown.first().isVisible()) return true;
    await page.reload();
    return shown.first().isVisible();
  };
  await until(`the page shows ${shown}`, look, STEP_MS_MAX);
}
