import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, setGlobalDispatcher } from 'undici';
import { type Certificate, certificateIn } from '../network/certificate.js';
import { SecureFront } from '../network/secure-front.js';
import { ServerProcess } from '../services/server-process.js';
import { Peer } from './peer.js';

type Variables = Readonly<Record<string, string>>;

/** Servers of ours, scripted peers and foreign servers that reach each other over TLS, and trust one authority only. */
export class TrustedLoopback {
  private constructor(
    private readonly folder: string,
    readonly certificate: Certificate,
  ) {}

  /** Creates the authority. From now on `fetch` of this process trusts it, too. */
  static async open(): Promise<TrustedLoopback> {
    const folder = await mkdtemp(join(tmpdir(), 'murmuration-authority-'));
    const certificate = certificateIn(folder, 'loopback');
    setGlobalDispatcher(new Agent({ connect: { ca: certificate.cert } }));
    return new TrustedLoopback(folder, certificate);
  }

  /** Environment by which programs of Node and of Python trust the authority. */
  get environment(): Variables {
    const { path } = this.certificate;
    return { NODE_EXTRA_CA_CERTS: path, SSL_CERT_FILE: path };
  }

  /** Starts something behind TLS. `start` gets the settings of a server that federates on loopback. */
  behindTls<Server extends { readonly url: string }>(
    start: (settings: Variables) => Promise<Server>,
  ): Promise<[SecureFront, Server]> {
    return this.behind(new SecureFront(this.certificate), start);
  }

  /** As `behindTls`, behind a front of another kind. */
  behind<Server extends { readonly url: string }, Front extends SecureFront>(
    front: Front,
    start: (settings: Variables) => Promise<Server>,
  ): Promise<[Front, Server]> {
    return SecureFront.before(front, (BASE_URL) => start({ FEDERATION_ALLOW_CIDRS: 'loopback', BASE_URL }));
  }

  /** Starts a server of ours. @param more settings over those for loopback */
  async server(more: Variables = {}): Promise<SecureServer> {
    const started = this.behindTls((settings) => ServerProcess.start({ ...settings, ...more }, this.environment));
    return new SecureServer(...(await started));
  }

  /** Opens a scripted server, which speaks TLS itself. */
  peer(): Promise<Peer> {
    return Peer.open({ certificate: this.certificate });
  }

  /** Opens one that every address of this machine reaches, to see whether anything connects to it. */
  canary(): Promise<Peer> {
    return Peer.open({ certificate: this.certificate, listensOn: '::' });
  }

  /** Removes the authority's files: no program can start with it any more. */
  async close(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A server of ours that clients and other servers alike reach over TLS. */
export class SecureServer {
  constructor(
    private readonly front: SecureFront,
    private readonly server: ServerProcess,
  ) {}

  get url(): string {
    return this.front.url;
  }
  get dataDir(): string {
    return this.server.dataDir;
  }
  /** The output of all its processes so far. */
  get log(): string {
    return this.server.log;
  }

  restart(): Promise<void> {
    return this.server.restart();
  }
  stop(): Promise<number | null> {
    return this.server.stop();
  }
  kill(): Promise<void> {
    return this.server.kill();
  }

  async dispose(): Promise<void> {
    await this.front.close();
    await this.server.dispose();
  }
}
