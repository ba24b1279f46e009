import { type Browser, chromium } from 'playwright-core';

const PATH = '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--headless',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A real Chromium, which scripts/prepare.mjs installs. @throws when it is not there after `timeoutMs` */
export function launchChromium(timeoutMs: number): Promise<Browser> {
  return chromium.launch({ executablePath: PATH, args: FLAGS, timeout: timeoutMs });
}
