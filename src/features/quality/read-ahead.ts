/** What is read in turns. */
interface Turns<Batch> {
  /** How many ids are read in the first turn. */
  readonly first: number;
  readonly read: (ids: readonly string[]) => Promise<Batch>;
  /** How many to read in a turn, by what an earlier one brought. */
  readonly sizeAfter: (batch: Batch) => number;
}

/** Reads the ids in turns, each while the one before is being looked at; who stops waits for the turn that is under way. */
export async function* readAhead<Batch>(
  ids: readonly string[],
  { first, read, sizeAfter }: Turns<Batch>,
): AsyncGenerator<Batch> {
  let from = 0;
  const begin = (size: number): Promise<Batch> | null => {
    const turn = ids.slice(from, from + size);
    from += turn.length;
    if (turn.length === 0) return null;
    const reading = read(turn);
    // That it failed is told when its turn comes; until then nobody would hear of it, and Node would end the process.
    reading.catch(() => undefined);
    return reading;
  };
  for (let reading = begin(first); reading !== null;) {
    const batch = await reading;
    reading = begin(sizeAfter(batch));
    try {
      yield batch;
    } finally {
      await reading?.catch(() => undefined);
    }
  }
}
