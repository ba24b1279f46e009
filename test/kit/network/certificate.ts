import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A key and its certificate, PEM. */
export interface Certificate {
  readonly key: Buffer;
  readonly cert: Buffer;
  readonly keyPath: string;
  /** The certificate's file, for NODE_EXTRA_CA_CERTS. */
  readonly path: string;
}

/** Creates a certificate for 127.0.0.1 in the folder; it is its own authority. */
export function certificateIn(folder: string, name: string): Certificate {
  const [key, path] = [join(folder, `${name}.key`), join(folder, `${name}.pem`)];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', ...curve, '-keyout', key, '-out', path, ...subject], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(path), keyPath: key, path };
}
