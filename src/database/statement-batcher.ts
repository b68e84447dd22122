interface BatchBounds {
  /** Batches under way at once. */
  readonly underWay: number;
  /** Questions in a batch. */
  readonly largest: number;
}

/**
 * What is under way keeps the database busy, and never takes all connections of the pool. A larger batch would make its first
 * question wait for its last without being cheaper for each.
 */
const BOUNDS: BatchBounds = { underWay: 4, largest: 32 };

interface Waiting<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Puts questions that wait at the same moment to the database together. A question that comes alone is asked at once;
 * only while as many batches are under way as may be do others gather. Where a batch fails, each of its questions is
 * asked again by itself: what one of them brings about befalls no other, which may be another tenant's.
 */
export class StatementBatcher<Question, Answer> {
  readonly #waiting: Waiting<Question, Answer>[] = [];
  #underWay = 0;
  #scheduled = false;

  /** `answerAll` gives each question its answer, in the order of the questions. */
  constructor(
    private readonly answerAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
    private readonly bounds: BatchBounds = BOUNDS,
  ) {}

  async submit(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      this.#schedule();
    });
  }

  /** After all requests that have arrived are read: those ask their questions in one turn of the event loop. */
  #schedule(): void {
    if (this.#scheduled || this.#waiting.length === 0 || this.#underWay === this.bounds.underWay) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#send();
    });
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#underWay < this.bounds.underWay) {
      this.#underWay += 1;
      void this.#answer(this.#waiting.splice(0, this.bounds.largest)).finally(() => {
        this.#underWay -= 1;
        this.#schedule();
      });
    }
  }

  async #answer(batch: readonly Waiting<Question, Answer>[]): Promise<void> {
    try {
      const answers = await this.answerAll(batch.map(({ question }) => question));
      if (answers.length !== batch.length) throw new TypeError('A batch was answered in part.');
      batch.forEach(({ resolve }, at) => resolve(answers[at] as Answer));
    } catch (error) {
      if (batch.length === 1) batch[0]?.reject(error);
      else await Promise.all(batch.map((waiting) => this.#answer([waiting])));
    }
  }
}
