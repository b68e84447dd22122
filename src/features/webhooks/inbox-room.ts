/** Thousands of usual deliveries: what arrives in seconds of a flood while the database keeps none. */
const CAPACITY_BYTES = 67_108_864;
/** What a delivery holds beside its body: the request, its headers, its place among those that wait. */
const BESIDE_BODY_BYTES = 4_096;

/**
 * How much of deliveries waits to be kept at once. Without a bound a database that stands still would fill the process with
 * them until it ends, and the gate with it. What finds no room is not acknowledged, and so asked for again later.
 */
export class InboxRoom {
  #taken = 0;

  /** Does work that holds a body of so many bytes until it has ended; throws where there is no room for it. */
  async hold<T>(bodyBytes: number, work: () => Promise<T>): Promise<T> {
    const bytes = bodyBytes + BESIDE_BODY_BYTES;
    if (this.#taken + bytes > CAPACITY_BYTES) throw new Error('Too many deliveries wait for the database.');
    this.#taken += bytes;
    try {
      return await work();
    } finally {
      this.#taken -= bytes;
    }
  }
}
