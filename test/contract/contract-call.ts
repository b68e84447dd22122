import type { BuiltService } from './built-service.js';

export interface Call {
  /** The values of the path parameters, by name. */
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is bytes or text already. */
  readonly body?: unknown;
  /** The address of the client, as a proxy forwards it. If absent, each call has another one. */
  readonly address?: string;
  readonly of?: BuiltService;
}

/** Calls an operation, checks the response against the OpenAPI document, and returns its status. */
export type CallOperation = (operationId: string, call?: Call) => Promise<number>;
