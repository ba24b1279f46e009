import sharp from 'sharp';
import { WebPages } from '../../kit/network/web-pages.js';

const page = (title: string) =>
  `<!doctype html><title>${title}</title><meta property="og:image" content="/picture.png"><p>Read on.`;

/** A foreign page that answers only when the test permits; its picture is available at once. */
export class SlowPage {
  #letIt = (): void => undefined;
  readonly #let = new Promise<void>((resolve) => {
    this.#letIt = resolve;
  });
  #pages: WebPages | undefined;

  static async open(title: string): Promise<SlowPage> {
    const slow = new SlowPage();
    const create = { width: 60, height: 40, channels: 3, background: '#0a0' } as const;
    const picture = await sharp({ create }).png().toBuffer();
    slow.#pages = await WebPages.open((request, response) => {
      if (request.url === '/picture.png') response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
      else void slow.#let.then(() => response.writeHead(200, { 'content-type': 'text/html' }).end(page(title)));
    });
    return slow;
  }

  get url(): string {
    return `${this.#pages?.url}/read`;
  }
  /** Requested paths, in order. */
  get asked(): readonly string[] {
    return this.#pages?.asked ?? [];
  }

  /** Answers pending and future requests. */
  answer(): void {
    this.#letIt();
  }

  async close(): Promise<void> {
    await this.#pages?.close();
  }
}
