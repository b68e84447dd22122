import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

/** What stands for a body that is still on its way: megabytes are taken in and parsed for nobody who is refused. */
export class LateBody {
  constructor(readonly read: () => Promise<unknown>) {}
}

async function takeLateBody(request: FastifyRequest): Promise<void> {
  if (request.body instanceof LateBody) request.body = await request.body.read();
}

/**
 * Takes in what is still on its way once the guards before this one have let a request in. An interceptor would do it as well, but
 * where there is one, every request is made an observable.
 */
export class LateBodyGuard implements CanActivate {
  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    return request.body instanceof LateBody ? takeLateBody(request).then(() => true) : true;
  }
}
