import type { BuiltService } from './built-service.js';

export interface Call {
  /** What stands in the path, by the names of its parameters. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is bytes or text already. */
  readonly body?: unknown;
  /** The client's address, as a proxy would tell it; another one for each call where absent. */
  readonly address?: string;
  readonly of?: BuiltService;
}

/** Calls an operation, holds the answer to the document, and answers its status. */
export type CallOperation = (operationId: string, call?: Call) => Promise<number>;
