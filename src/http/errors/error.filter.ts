import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { OutageWatch } from '../../observability/outage-watch.js';
import { failureOf } from './failure.js';

/**
 * Answers every failure as `{error}`, and writes those that nobody foresaw into the log whole, with the request's id. An
 * outage is told once, by its watch: each request that it costs is a line without a stack.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  /** Null until the parts of the application are there. */
  outages: OutageWatch | null = null;

  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Also for what fails before a route is found, which no filter of Nest's ever sees. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { status, message, headers, fault } = failureOf(error);
    if (fault === 'defect') this.log.error({ requestId: request.id, err: error }, 'request failed');
    if (fault === 'outage') this.outages?.note(request.id, error);
    if (reply.raw.headersSent) {
      // Half an answer is out: cutting it off is the only way left to say that it is not whole.
      reply.raw.destroy();
      return;
    }
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    reply.status(status).type('application/json; charset=utf-8').send({ error: message });
  }
}
