/** First in, first out, bounded. */
export class Mailbox<T> {
  private items: T[] = [];

  constructor(private readonly max: number) {}

  get length(): number {
    return this.items.length;
  }

  /** False when it is full: the item was not taken. */
  offer(item: T): boolean {
    if (this.items.length >= this.max) return false;
    this.items.push(item);
    return true;
  }

  /** The oldest items, at most `count`; they leave the mailbox. */
  take(count: number): T[] {
    if (this.items.length > count) return this.items.splice(0, count);
    const all = this.items;
    this.items = [];
    return all;
  }
}
