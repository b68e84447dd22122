import fastifyCookie from '@fastify/cookie';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ConfigModule } from '../config/config.module.js';
import type { Environment } from '../config/environment.js';
import { NestLogger } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { ObservabilityModule } from '../observability/observability.module.js';
import { OutageWatch } from '../observability/outage-watch.js';
import { installRequestLogging } from '../observability/request-logging.js';
import { ArrivingBodies } from './body/arriving-bodies.js';
import { DeferredBodyGuard, useBodyParser } from './body/body-parser.js';
import { rejectUnstorableUrl } from './body/storable-text.js';
import { answerClientError, ErrorFilter } from './errors/error.filter.js';
import { CONNECTION_TIMINGS, type ConnectionTimings, OpenConnections } from './open-connections.js';
import {
  cookieOptions,
  requireUuidInReleasePaths,
  rejectInvalidRequestHead,
  readRequestId,
  acceptAllExpectHeaders,
} from './request-hooks.js';
import { securityHeaders } from './response-headers.js';
import { createValidationPipe } from './validation/validation.pipe.js';

/** Bodies have their own timeouts, which answer; this one cuts off what escapes them. */
const BEYOND_ALL_MS = 10_000;

class ServiceModule {}

/**
 * The application as it is served, and as every test has it: one set of limits, headers and answers to failures.
 * `features` is given the environment, the log, the metrics and the readiness checks by injection.
 */
export async function createApp(
  features: Type | DynamicModule,
  environment: Environment,
  log: Logger,
  timings = CONNECTION_TIMINGS,
): Promise<NestFastifyApplication> {
  const failures = new ErrorFilter(log);
  const root: DynamicModule = {
    module: ServiceModule,
    imports: [ConfigModule.of(environment), ObservabilityModule.of(log), features],
  };
  const app = await NestFactory.create<NestFastifyApplication>(root, createAdapter(environment, failures, timings), {
    // Bodies are read by `useBodyParser` alone, and a start that fails is the caller's to report.
    bodyParser: false,
    abortOnError: false,
    logger: new NestLogger(log),
  });
  failures.outages = app.get(OutageWatch);
  await app.register(fastifyCookie, cookieOptions(environment.sessionSecret));
  configureApp(app, environment, failures, new ArrivingBodies(timings));
  new OpenConnections(environment.maxConnectionsPerAddress, environment.trustedProxies, timings).watch(
    app.getHttpServer(),
  );
  installRequestLogging(app.getHttpAdapter().getInstance(), log, app.get(Metrics));
  return app;
}

/** Fastify with timeouts that slow clients cannot outwait, and failures of its own in the form of all others. */
function createAdapter(environment: Environment, failures: ErrorFilter, timings: ConnectionTimings): FastifyAdapter {
  const headersOf = securityHeaders(environment.baseUrl);
  return new FastifyAdapter({
    trustProxy: environment.trustedProxies.length > 0 ? [...environment.trustedProxies] : false,
    requestIdHeader: false,
    genReqId: readRequestId,
    multipart: false,
    keepAliveTimeout: timings.keepAliveMs,
    requestTimeout: Math.max(timings.headersMs, timings.uploadMs) + BEYOND_ALL_MS,
    http: {
      headersTimeout: timings.headersMs,
      connectionsCheckingInterval: timings.checkMs,
      // Refused by `rejectInvalidRequestHead`, because Node's own refusal has no body.
      requireHostHeader: false,
    },
    // What is in flight at a shutdown is finished; a 503 of Fastify's own would not be `{error}`.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      reply.headers({ ...headersOf(request.headers), 'X-Request-Id': request.id });
      failures.answer(error, request, reply);
    },
  });
}

function configureApp(
  app: NestFastifyApplication,
  environment: Environment,
  failures: ErrorFilter,
  arriving: ArrivingBodies,
): void {
  const fastify = app.getHttpAdapter().getInstance();
  const headersOf = securityHeaders(environment.baseUrl);
  acceptAllExpectHeaders(fastify.server);
  requireUuidInReleasePaths(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOf(request.headers));
    reply.header('X-Request-Id', request.id);
    rejectInvalidRequestHead(request);
    done();
  });
  fastify.addHook('preValidation', (request, _reply, done) => {
    rejectUnstorableUrl(request);
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    // Fastify hangs up on a body that it did not read, and a client that is still writing then never sees why. The
    // rest of such a body is let run out instead, within its time.
    if (reply.statusCode === 413) reply.removeHeader('connection');
    done(null, payload);
  });
  arriving.watch(fastify);
  useBodyParser(fastify, environment, arriving);
  app.useGlobalFilters(failures);
  // After those of the modules, which were made known when the app was.
  app.useGlobalGuards(new DeferredBodyGuard());
  app.useGlobalPipes(createValidationPipe());
}
