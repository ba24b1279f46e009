import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { badSetting, type SettingName, type Settings } from './settings.js';

const FILES: readonly SettingName[] = ['CLUSTER_TLS_CA', 'CLUSTER_TLS_CERT', 'CLUSTER_TLS_KEY'];

/**
 * Creates the data folder and reads the files that settings name, before any connection is opened.
 * @throws BadSetting that names the setting
 */
export async function checkFiles(settings: Settings): Promise<void> {
  await makeFolder(resolve(settings.DATA_DIR)).catch((error: NodeJS.ErrnoException) => {
    throw badSetting('DATA_DIR', `cannot make the folder ${settings.DATA_DIR}: ${error.message}`);
  });
  for (const name of FILES) {
    const path = settings[name];
    if (path === undefined) continue;
    await readFile(path).catch((error: NodeJS.ErrnoException) => {
      throw badSetting(name, `cannot read ${path}: ${error.message}`);
    });
  }
}

/**
 * Creates a folder and its parents. Node's own recursive mkdir never returns in file systems without folders (/proc).
 */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && dirname(path) !== path) {
      await makeFolder(dirname(path));
      await mkdir(path);
      return;
    }
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory() !== true) throw error;
  }
}
