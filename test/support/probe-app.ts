import { Body, Controller, Get, Header, HttpCode, Module, Param, Post, Query } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Type } from 'class-transformer';
import { IsArray, IsInt, IsOptional, IsString, MaxLength, ValidateNested } from 'class-validator';
import { HealthController } from '../../src/features/operations/health.controller.js';
import { MetricsController } from '../../src/features/operations/metrics.controller.js';
import { createApp } from '../../src/http/app.factory.js';
import { type RawBody, BodyKind } from '../../src/http/body/body-parser.js';
import { parseJsonBody, type UnreadJson } from '../../src/http/body/json-body.js';
import { DomainError } from '../../src/http/errors/domain-error.js';
import type { ConnectionTimings } from '../../src/http/open-connections.js';
import { createLineLogger } from '../../src/observability/logger.js';
import { httpShutdown, type ShutdownStep } from '../../src/server/shutdown.js';
import { readTestEnvironment } from './read-test-environment.js';

class ProbeFile {
  @IsString()
  filename: string;
}

class ProbeOrder {
  @IsString()
  @MaxLength(50)
  version: string;

  @IsInt()
  @IsOptional()
  number?: number;

  @IsArray()
  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => ProbeFile)
  files?: ProbeFile[];
}

class ProbeQuery {
  @IsString()
  version: string;
}

/** Routes that return what reaches a handler. */
@Controller('probe')
class ProbeController {
  @Post('json')
  @HttpCode(200)
  json(@Body() body: unknown): object {
    return { received: body ?? null };
  }

  @Post('upload')
  @BodyKind('upload')
  @HttpCode(200)
  async upload(@Body() body: UnreadJson): Promise<object> {
    const blocks = await body.read(() => undefined);
    return { characters: JSON.stringify(parseJsonBody(Buffer.concat(blocks), { values: 1_000_000 })).length };
  }

  @Post('raw')
  @BodyKind('raw')
  @HttpCode(202)
  async raw(@Body() body: RawBody): Promise<object> {
    if (!body.oversized) return { oversized: false, bytes: body.bytes.toString('latin1') };
    let passed = 0;
    for await (const chunk of body.passing) passed += chunk.length;
    return { oversized: true, passed };
  }

  @Post('order')
  @HttpCode(200)
  order(@Body() order: ProbeOrder): object {
    return order;
  }

  @Post('bodiless')
  @HttpCode(200)
  bodiless(): object {
    return { done: true };
  }

  @Get('query')
  query(@Query() { version }: ProbeQuery): object {
    return { version };
  }

  @Get('path/:name')
  path(@Param('name') name: string): object {
    return { name };
  }

  @Get('page')
  @Header('Content-Security-Policy', "default-src 'self'")
  page(): object {
    return {};
  }

  @Get('fail/:way')
  fail(@Param('way') way: string): never {
    throw FAILURES[way] ?? new Error('unexpected: password hunter2');
  }

  @Get('slow')
  async slow(): Promise<object> {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return { done: true };
  }
}

const FAILURES: Readonly<Record<string, unknown>> = {
  conflict: new DomainError('conflict', 'It is shipped.'),
  busy: new DomainError('unavailable', 'Later.', { retryAfterSeconds: 2.2 }),
  challenged: new DomainError('unauthenticated', 'Who?', { headers: { 'WWW-Authenticate': 'Bearer' } }),
  disconnected: new Error('Query failed', {
    cause: Object.assign(new Error('terminating connection'), { code: '57P01' }),
  }),
  refused: Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' }),
  nothing: undefined,
};

@Module({ controllers: [HealthController, MetricsController, ProbeController] })
class ProbeModule {}

export interface Probe {
  readonly app: NestFastifyApplication;
  readonly shutdown: ShutdownStep;
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  /** The lines of the log so far. */
  readonly lines: () => readonly Record<string, unknown>[];
}

/** The application of the service with only the probe routes and the operator's routes, listening. */
export async function startProbeApp(
  variables: Readonly<Record<string, string>> = {},
  module: Parameters<typeof createApp>[0] = ProbeModule,
  timings?: ConnectionTimings,
): Promise<Probe> {
  const written: string[] = [];
  const log = createLineLogger('info', { write: (line) => void written.push(line) });
  const environment = readTestEnvironment(variables);
  const app = await createApp(module, environment, log, timings);
  const shutdown = httpShutdown(app, environment.shutdownDelayMs);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  return {
    app,
    shutdown,
    url,
    port: Number(new URL(url).port),
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
