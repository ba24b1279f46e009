import { type Browser, chromium } from 'playwright-core';

const PATH = '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--headless',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Launches a real Chromium, which scripts/prepare.mjs installs. @throws when it has not started after `timeoutMs` */
export function launchChromium(timeoutMs: number): Promise<Browser> {
  return chromium.launch({ executablePath: PATH, args: FLAGS, timeout: timeoutMs });
}
