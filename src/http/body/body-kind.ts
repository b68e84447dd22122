import { RouteConfig } from '@nestjs/platform-fastify';

/**
 * How a route takes its body: `json` (what a route that says nothing takes) and `upload` are parsed and checked, and
 * differ in size; an `upload` only once the caller was let in. A `form` is read when the route asks for it; `raw` is handed over as the bytes that came, whatever they are.
 */
export type BodyKind = 'json' | 'upload' | 'form' | 'raw';

declare module 'fastify' {
  interface FastifyContextConfig {
    body?: BodyKind;
  }
}

/** Declares how a route takes its body. */
export const ReadsBody = (body: BodyKind): MethodDecorator => RouteConfig({ body });
