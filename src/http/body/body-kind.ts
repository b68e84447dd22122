import { RouteConfig } from '@nestjs/platform-fastify';

/**
 * How a route takes its body: `json` (the default of a route that declares nothing) is parsed and checked once the caller
 * was let in; an `upload` (JSON) and a `form` are read when the route asks for them; `raw` is handed over as the bytes that
 * came, whatever they are.
 */
export type BodyKind = 'json' | 'upload' | 'form' | 'raw';

declare module 'fastify' {
  interface FastifyContextConfig {
    body?: BodyKind;
  }
}

/** Declares how a route takes its body. */
export const ReadsBody = (body: BodyKind): MethodDecorator => RouteConfig({ body });
