import { messageOf } from '../commands/message-of.js';

/** What an examination found of one thing. */
export interface Finding {
  /** `warn`: the service works, and less well than it could. `fail`: something of it does not work. */
  readonly status: 'ok' | 'warn' | 'fail';
  readonly of: string;
  readonly says: string;
  /** What to do about it; null where nothing is to be done. */
  readonly remedy: string | null;
}

/** Findings of one thing, to be made in its name. */
export class Findings {
  constructor(private readonly of: string) {}

  ok(says: string): Finding {
    return { status: 'ok', of: this.of, says, remedy: null };
  }

  warn(says: string, remedy: string): Finding {
    return { status: 'warn', of: this.of, says, remedy };
  }

  fail(says: string, remedy: string): Finding {
    return { status: 'fail', of: this.of, says, remedy };
  }
}

/** One question, answered in findings. */
export type Examination = () => Promise<readonly Finding[]>;

/** What went wrong, down to its first cause: a failed connection says why only there. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = messageOf(error);
  return error.cause === undefined ? message : `${message}: ${sentenceOf(error.cause)}`;
}
