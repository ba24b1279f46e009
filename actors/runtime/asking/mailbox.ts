/** A bounded FIFO queue. */
export class Mailbox<T> {
  private items: T[] = [];

  constructor(private readonly max: number) {}

  get length(): number {
    return this.items.length;
  }

  /** Adds the item. Returns false when the mailbox is full. */
  offer(item: T): boolean {
    if (this.items.length >= this.max) return false;
    this.items.push(item);
    return true;
  }

  /** Removes and returns the oldest items, at most `count`. */
  take(count: number): T[] {
    if (this.items.length > count) return this.items.splice(0, count);
    const all = this.items;
    this.items = [];
    return all;
  }
}
