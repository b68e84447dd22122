import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';

/** What stands for a body that is still on its way: megabytes are taken in and parsed for nobody who is refused. */
export class LateBody {
  constructor(readonly read: () => Promise<unknown>) {}
}

/** Takes in a body that is still on its way. Whoever needs it before its handler does calls this. */
export async function takeLateBody(request: FastifyRequest): Promise<void> {
  if (request.body instanceof LateBody) request.body = await request.body.read();
}

/** Takes in what is still on its way once the guards have let a request in, and before its handler is given it. */
export class LateBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    await takeLateBody(context.switchToHttp().getRequest<FastifyRequest>());
    return next.handle();
  }
}
