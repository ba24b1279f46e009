import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../../kit/services/chromium.js';
import { ServerProcess } from '../../kit/services/server-process.js';
import { call, makePeople, type Person } from '../cluster/people.js';
import { STEP_MS_MAX, signIn } from './steps.js';

let server: ServerProcess;
let browser: Browser;
let ann: Person;
let ben: Person;
before(async () => {
  server = await ServerProcess.start();
  browser = await launchChromium(STEP_MS_MAX);
  [ann, ben] = (await makePeople(server.dataDir, ['ann', 'ben'])) as [Person, Person];
});
after(async () => {
  await browser?.close();
  await server?.dispose();
});

for (const javaScriptEnabled of [false, true])
  test(`a person edits a post, reads its versions and opens a filtered one (scripts: ${javaScriptEnabled})`, async () => {
    const word = `plum${javaScriptEnabled}`;
    const context = await browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    page.setDefaultTimeout(STEP_MS_MAX);
    await page.goto(`${server.url}/web`);
    await signIn(page, ann);
    await page.getByLabel('What is new?').fill(`the first ${word}`);
    await page.getByText('Pictures, poll and more').click();
    await page.getByLabel('Answer 1 of a poll').fill('tea');
    await page.getByLabel('Answer 2 of a poll').fill('milk');
    await page.getByRole('button', { name: 'Post', exact: true }).click();
    const own = page.getByRole('article').filter({ hasText: `the first ${word}` });
    await own.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Text', { exact: true }).fill(`the second ${word}`);
    assert.equal(await page.getByLabel('Answer 2 of a poll').inputValue(), 'milk');
    await page.getByLabel('Answer 2 of a poll').fill('water');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page
      .getByRole('article')
      .filter({ hasText: `the second ${word}` })
      .waitFor();
    await page.getByRole('link', { name: 'edited' }).first().click();
    const versions = page.getByRole('listitem').filter({ hasText: /Version \d/ });
    await versions.first().waitFor();
    assert.match((await versions.allTextContents()).join(), /the second plum.*water.*the first plum.*milk/s);
    const keywords_attributes = [{ keyword: word }];
    const rule = { title: 'no plums', context: ['account', 'thread'], keywords_attributes };
    await call(server.url, ann, 'POST', '/api/v2/filters', rule);
    const said = await call(server.url, ben, 'POST', '/api/v1/statuses', { status: `his ${word}` });
    const { id } = said as { readonly id: string };
    await page.goto(`${server.url}/web/posts/${id}`);
    const covered = page.getByRole('article').getByText(`his ${word}`);
    assert.equal(await covered.isVisible(), false);
    await page.getByText('Show anyway').click();
    await covered.waitFor();
    await context.close();
  });
