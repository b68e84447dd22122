import { endsConnection, isUnreached } from './outage.js';

interface BatchBounds {
  /** The maximum number of concurrent batches. */
  readonly concurrency: number;
  /** The maximum number of inputs in a batch. */
  readonly largest: number;
}

/**
 * Four batches keep the database busy and leave connections of the pool free. In a larger batch the first input would
 * wait longer without a lower cost per input.
 */
const BOUNDS: BatchBounds = { concurrency: 4, largest: 32 };

interface Waiting<Input, Answer> {
  readonly input: Input;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends concurrent inputs to the database in one statement. A single input is sent at once. Inputs collect only while
 * the maximum number of batches is running. If a batch fails, each input is sent again alone, so that the error of one
 * input does not affect others, which may belong to other tenants. If the batch got no connection or no answer, all of them fail.
 */
export class StatementBatcher<Input, Answer> {
  readonly #waiting: Waiting<Input, Answer>[] = [];
  #running = 0;
  #scheduled = false;

  /** `answerAll` returns one answer per input, in the same order. */
  constructor(
    private readonly answerAll: (inputs: readonly Input[]) => Promise<readonly Answer[]>,
    private readonly bounds: BatchBounds = BOUNDS,
  ) {}

  async submit(input: Input): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ input, resolve, reject });
      this.#schedule();
    });
  }

  /**
   * Waits for the end of this turn of the event loop, because all requests that were read in it submit their inputs in
   * it.
   */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#running === this.bounds.concurrency) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#running < this.bounds.concurrency) {
      this.#running += 1;
      void this.#answer(this.#waiting.splice(0, this.bounds.largest)).finally(() => {
        this.#running -= 1;
        this.#schedule();
      });
    }
  }

  async #answer(batch: readonly Waiting<Input, Answer>[]): Promise<void> {
    try {
      const answers = await this.answerAll(batch.map(({ input }) => input));
      if (answers.length !== batch.length) throw new TypeError('A batch was answered in part.');
      batch.forEach(({ resolve }, at) => resolve(answers[at] as Answer));
    } catch (error) {
      if (batch.length === 1 || isUnreached(error) || endsConnection(error))
        batch.forEach(({ reject }) => reject(error));
      else await Promise.all(batch.map((waiting) => this.#answer([waiting])));
    }
  }
}
