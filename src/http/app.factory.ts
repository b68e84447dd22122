import fastifyCookie from '@fastify/cookie';
import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ConfigModule } from '../config/config.module.js';
import type { Environment } from '../config/environment.js';
import { mentionsLostConnection } from '../database/outage.js';
import { NestLogger } from '../observability/logger.js';
import { Metrics } from '../observability/metrics.js';
import { ObservabilityModule } from '../observability/observability.module.js';
import { OutageWatch } from '../observability/outage-watch.js';
import { installRequestLogging } from '../observability/request-logging.js';
import { ArrivingBodies } from './body/arriving-bodies.js';
import { DeferredBodyGuard, useBodyParser } from './body/body-parser.js';
import { rejectUnstorableUrl } from './body/storable-text.js';
import { tagRevalidatedLists } from './entity-tags.js';
import { answerClientError, ErrorFilter } from './errors/error.filter.js';
import { CONNECTION_TIMINGS, type ConnectionTimings, OpenConnections } from './open-connections.js';
import {
  cookieOptions,
  requireUuidInReleasePaths,
  rejectInvalidRequestHead,
  readRequestId,
  acceptAllExpectHeaders,
  serveOnlyOperation,
} from './request-hooks.js';
import { securityHeaders } from './response-headers.js';
import { createValidationPipe } from './validation/validation.pipe.js';

/** Added to the timeouts of bodies, which send an answer. The sum only closes requests that those timeouts do not cover. */
const EXTRA_TIMEOUT_MS = 10_000;

class ServiceModule {}

/**
 * Creates the application with all limits, headers and error answers, also for tests. `features` get the environment, the log,
 * the metrics and the readiness checks by injection.
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
  const nestLogger = new NestLogger(log);
  const app = await NestFactory.create<NestFastifyApplication>(root, createAdapter(environment, failures, timings), {
    // Only `useBodyParser` reads bodies. The caller reports a failed start.
    bodyParser: false,
    abortOnError: false,
    logger: nestLogger,
  });
  const outages = app.get(OutageWatch);
  failures.outages = outages;
  nestLogger.outages = { mentionsOutage: mentionsLostConnection, noteLine: (line) => outages.noteLine(line) };
  await app.register(fastifyCookie, cookieOptions(environment.sessionSecret, environment.sessionSecretAlsoValid));
  configureApp(app, environment, failures, new ArrivingBodies(timings));
  new OpenConnections(environment.maxConnectionsPerAddress, environment.trustedProxies, timings).watch(
    app.getHttpServer(),
  );
  installRequestLogging(app.getHttpAdapter().getInstance(), log, app.get(Metrics));
  return app;
}

/** Creates Fastify with timeouts for slow clients, and with its own errors in the format of all others. */
function createAdapter(environment: Environment, failures: ErrorFilter, timings: ConnectionTimings): FastifyAdapter {
  const buildHeaders = securityHeaders(environment.baseUrl);
  return new FastifyAdapter({
    trustProxy: environment.trustedProxies.length > 0 ? [...environment.trustedProxies] : false,
    requestIdHeader: false,
    genReqId: readRequestId,
    multipart: false,
    keepAliveTimeout: timings.requestIdleMs,
    requestTimeout: Math.max(timings.headersMs, timings.uploadMs) + EXTRA_TIMEOUT_MS,
    http: {
      headersTimeout: timings.headersMs,
      connectionsCheckingInterval: timings.checkMs,
      // `rejectInvalidRequestHead` rejects a missing host, because Node's own rejection has no body.
      requireHostHeader: false,
    },
    // Requests in progress at a shutdown are finished. Fastify's own 503 would not have the format `{error}`.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      reply.headers({ ...buildHeaders(request.headers), 'X-Request-Id': request.id });
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
  const buildHeaders = securityHeaders(environment.baseUrl);
  acceptAllExpectHeaders(fastify.server);
  requireUuidInReleasePaths(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.headers(buildHeaders(request.headers));
    reply.header('X-Request-Id', request.id);
    rejectInvalidRequestHead(request);
    done();
  });
  if (environment.role === 'worker') serveOnlyOperation(fastify);
  fastify.addHook('preValidation', (request, _reply, done) => {
    rejectUnstorableUrl(request);
    done();
  });
  fastify.addHook('onSend', (_request, reply, payload, done) => {
    // Fastify closes the connection if the body was not read, and a client that is still writing would not see the
    // answer. The rest of the body is discarded instead, within its time limit.
    if (reply.statusCode === 413) reply.removeHeader('connection');
    done(null, payload);
  });
  tagRevalidatedLists(fastify);
  arriving.watch(fastify);
  useBodyParser(fastify, environment, arriving);
  app.useGlobalFilters(failures);
  // Runs after the guards of the modules, which were registered when the app was created.
  app.useGlobalGuards(new DeferredBodyGuard());
  app.useGlobalPipes(createValidationPipe());
}
