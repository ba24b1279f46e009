import { type Browser, chromium } from 'playwright-core';

/** Chromium's engine without a browser's windows, which take a fifth of the CPU time of pages that nobody looks at. */
const SHELL = '/usr/bin/chromium-headless-shell';
const BROWSER = '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--headless',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/**
 * Launches a real Chromium, which scripts/prepare.mjs installs, without windows.
 * @throws when it has not started after `timeoutMs`
 */
export function launchChromium(timeoutMs: number): Promise<Browser> {
  return launch(SHELL, timeoutMs);
}

/** Launches the whole browser: only this shows notifications. @throws when it has not started after `timeoutMs` */
export function launchWholeChromium(timeoutMs: number): Promise<Browser> {
  return launch(BROWSER, timeoutMs);
}

function launch(executablePath: string, timeoutMs: number): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS, timeout: timeoutMs });
}
