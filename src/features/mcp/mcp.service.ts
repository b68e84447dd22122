import { Inject, Injectable } from '@nestjs/common';
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { insufficientScope } from '../../auth/auth.errors.js';
import type { PersonalKeyCaller } from '../../auth/caller.js';
import { userRateLimitKey } from '../../auth/rate-limit-key.js';
import { Clock } from '../../config/clock.js';
import { ENVIRONMENT, type Environment } from '../../config/environment.js';
import { includesScope } from '../../domain/keys/key-scope.js';
import { RateLimitService } from '../../http/rate-limit/rate-limit.service.js';
import { createSenderSignal } from '../../http/sender-signal.js';
import { LOGGER } from '../../observability/logger.js';
import { McpServerFactory } from './mcp-server-factory.js';
import { McpToolRegistry } from './mcp-tool-registry.js';
import { notProcessedError, type ProtocolMessage, readProtocolBody, calledToolName } from './protocol.js';

/** A request of a personal key, with its reply. */
interface McpRequest {
  readonly caller: PersonalKeyCaller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A response of the protocol. The body is JSON, or empty. */
export interface ProtocolAnswer {
  readonly status: number;
  readonly body: string;
}

const OK = 200;
const ACCEPTED = 202;
const SERVER_ERROR = 500;
const REVISION_HEADER = 'mcp-protocol-version';
/** How long messages of a batch are started, in milliseconds. Each may have to wait for GitHub. */
const BATCH_MS = 10_000;

/**
 * Implements the Model Context Protocol over Streamable HTTP, in every revision that the library supports, without sessions: each
 * message gets its own JSON response, and no state remains between messages.
 */
@Injectable()
export class McpService {
  readonly #address: URL;

  constructor(
    private readonly registry: McpToolRegistry,
    private readonly servers: McpServerFactory,
    private readonly limits: RateLimitService,
    private readonly clock: Clock,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(ENVIRONMENT) { baseUrl }: Environment,
  ) {
    this.#address = new URL('/mcp', baseUrl);
  }

  /**
   * Handles one message or a batch. Throws `invalid` if it is not a message, `forbidden` if the key does not allow the tool, and
   * `rate_limited` if a batch exceeds the remaining requests of the user. Then no message of the batch was executed. A batch ends with
   * the message at which its sender disconnects.
   */
  async handle({ caller, request, reply }: McpRequest): Promise<ProtocolAnswer> {
    const { messages, isBatch } = readProtocolBody(request.body, getRevision(request));
    for (const message of messages) this.#refuseBeyondScope(caller, message);
    const [first, ...rest] = messages;
    // The guard has counted the request itself.
    for (const _ of rest) await this.limits.consume('session', userRateLimitKey(caller.user), reply);
    if (!isBatch && first) return this.#exchange(caller, request, first);
    const until = this.clock.now().getTime() + BATCH_MS;
    const sender = createSenderSignal(reply.raw);
    const bodies: string[] = [];
    for (const message of messages) {
      sender.throwIfAborted();
      const inTime = this.clock.now().getTime() < until;
      bodies.push(inTime ? (await this.#exchange(caller, request, message)).body : notProcessedError(message));
    }
    const answers = bodies.filter((body) => body !== '');
    return answers.length === 0 ? { status: ACCEPTED, body: '' } : { status: OK, body: `[${answers.join(',')}]` };
  }

  #refuseBeyondScope({ scope }: PersonalKeyCaller, message: ProtocolMessage): void {
    const needed = this.registry.find(calledToolName(message) ?? '')?.scope;
    if (needed !== undefined && !includesScope(scope, needed)) throw insufficientScope(needed);
  }

  async #exchange(
    caller: PersonalKeyCaller,
    request: FastifyRequest,
    message: ProtocolMessage,
  ): Promise<ProtocolAnswer> {
    const protocolRequest = new Request(this.#address, { method: 'POST', headers: protocolHeaders(request) });
    const response = (await isLegacyRequest(protocolRequest, message))
      ? await this.#answerWithHandshake(caller, request.id, { protocolRequest, message })
      : await this.#answerByItself(caller, request.id, { protocolRequest, message });
    return { status: response.status, body: await response.text() };
  }

  /** Handles a message of the revisions until 2025-11-25, in which client and server first agree on a revision. */
  async #answerWithHandshake(
    caller: PersonalKeyCaller,
    requestId: string,
    { protocolRequest, message }: ProtocolRequest,
  ): Promise<Response> {
    const server = this.servers.create(caller, requestId);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(protocolRequest, { parsedBody: message });
    } finally {
      await server.close();
    }
  }

  /** Handles a message of the revisions since 2026-07-28, in which each request is self-contained. */
  async #answerByItself(
    caller: PersonalKeyCaller,
    requestId: string,
    { protocolRequest, message }: ProtocolRequest,
  ): Promise<Response> {
    const problems: Error[] = [];
    const handler = createMcpHandler(() => this.servers.create(caller, requestId), {
      legacy: 'reject',
      // The tools do not change while a process runs, so subscriptions would never receive anything.
      maxSubscriptions: 0,
      onerror: (problem) => problems.push(problem),
    });
    const response = await handler.fetch(protocolRequest, { parsedBody: message });
    if (response.status >= SERVER_ERROR)
      this.log.error({ requestId, err: problems.at(-1) }, 'remote tool message failed');
    return response;
  }
}

/** A message, and the request in the form of the library. */
interface ProtocolRequest {
  readonly protocolRequest: Request;
  readonly message: ProtocolMessage;
}

function getRevision({ headers }: FastifyRequest): string | undefined {
  const revision = headers[REVISION_HEADER];
  return Array.isArray(revision) ? revision.join(',') : revision;
}

/**
 * Returns the headers of the protocol. The others are handled before: the body is read, and the response is always JSON, which every
 * client must accept.
 */
function protocolHeaders({ headers }: FastifyRequest): Headers {
  const own = new Headers({ accept: 'application/json, text/event-stream', 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith('mcp-') && typeof value === 'string') own.set(name, value);
  }
  return own;
}
