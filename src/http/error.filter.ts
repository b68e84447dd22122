import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { failureOf } from './failure.js';

/** Answers every failure as `{error}`, and writes those that nobody foresaw into the log whole, with the request's id. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Also for what fails before a route is found, which no filter of Nest's ever sees. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const { status, message, headers, isOurs } = failureOf(error);
    if (isOurs) this.log.error({ requestId: request.id, err: error }, 'request failed');
    if (reply.raw.headersSent) {
      // Half an answer is out: cutting it off is the only way left to say that it is not whole.
      reply.raw.destroy();
      return;
    }
    for (const [name, value] of Object.entries(headers)) reply.header(name, value);
    reply.status(status).type('application/json; charset=utf-8').send({ error: message });
  }
}
