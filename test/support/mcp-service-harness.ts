import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { PersonalKeyCaller } from '../../src/auth/caller.js';
import type { Environment } from '../../src/config/environment.js';
import type { PersonalKeyScope } from '../../src/domain/keys/key-scope.js';
import { McpServerFactory } from '../../src/features/mcp/mcp-server-factory.js';
import { McpToolRegistry } from '../../src/features/mcp/mcp-tool-registry.js';
import { McpTool } from '../../src/features/mcp/mcp-tool.js';
import { type ProtocolAnswer, McpService } from '../../src/features/mcp/mcp.service.js';
import { DomainError } from '../../src/http/errors/domain-error.js';
import type { RateLimitService } from '../../src/http/rate-limit/rate-limit.service.js';
import type { OutageWatch } from '../../src/observability/outage-watch.js';
import { FixedClock } from './fixed-clock.js';

const INPUT = z.strictObject({ of: z.string().optional() });
const OUTPUT = z.object({ count: z.int() });

/** A tool that runs the function of a test and records its callers. */
class FakeTool extends McpTool<typeof INPUT, typeof OUTPUT> {
  override readonly title = 'A tool';
  override readonly description = 'Counts something.';
  override readonly input = INPUT;
  override readonly output = OUTPUT;
  readonly callers: number[] = [];
  does: () => unknown = () => ({ count: 1 });

  constructor(
    override readonly name: string,
    override readonly scope: PersonalKeyScope,
  ) {
    super();
  }

  override async run({ user }: PersonalKeyCaller): Promise<z.input<typeof OUTPUT>> {
    this.callers.push(user.id);
    return this.does() as z.input<typeof OUTPUT>;
  }
}

/** The MCP service with two tools of a test: one that reads, and one that changes something. */
export class McpServiceHarness {
  readonly readTool = new FakeTool('look', 'read');
  readonly change = new FakeTool('change', 'write');
  readonly logged: object[] = [];
  readonly spent: string[] = [];
  readonly outages: string[] = [];
  readonly clock = new FixedClock();
  left = 100;
  private readonly exchanges: McpService;

  constructor() {
    const { readTool, change } = this;
    const box = new McpToolRegistry([readTool, change]);
    const log = { error: (line: object) => void this.logged.push(line) } as unknown as Logger;
    const limits = {
      consume: async (name: string, subject: string) => {
        this.spent.push(`${name} ${subject}`);
        if (this.spent.length > this.left) throw new DomainError('rate_limited', 'Too many.');
      },
    } as unknown as RateLimitService;
    const outages = { note: (requestId: string) => void this.outages.push(requestId) } as unknown as OutageWatch;
    const environment = { baseUrl: 'https://shipgate.example' } as Environment;
    this.exchanges = new McpService(box, new McpServerFactory(box, log, outages), limits, this.clock, log, environment);
  }

  send(body: unknown, scope: PersonalKeyScope = 'read', headers: object = {}): Promise<ProtocolAnswer> {
    return this.exchanges.handle({
      caller: { user: { id: 7 }, scope } as PersonalKeyCaller,
      request: { id: 'request-1', headers, body } as unknown as FastifyRequest,
      // The connection of the sender, which stays open.
      reply: { raw: new EventEmitter() } as unknown as FastifyReply,
    });
  }

  /** Calls a tool with a write key. Returns its result. */
  async call(name: string, args: object = {}): Promise<unknown> {
    const { body } = await this.send(callOf(name, args), 'write');
    return (JSON.parse(body) as { readonly result: unknown }).result;
  }
}

export const callOf = (name: string, args: object = {}): object => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
});
