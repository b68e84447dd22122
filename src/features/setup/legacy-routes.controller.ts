import { applyDecorators, Controller, Get, Post, Put } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '../../auth/access.decorators.js';
import { BodyKind } from '../../http/body/body-parser.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';

const MANIFEST_FLOW = [
  'manifest-start',
  'manifest-callback',
  'api/config/manifest-start',
  'api/config/manifest-callback',
];

/** A route by which former versions stored credentials. Its body is never read. */
const LegacyRoute = (): MethodDecorator => applyDecorators(Public(), RateLimited('public'), BodyKind('raw'));

/**
 * Routes of former versions. Each responds with 410 and the route to use instead. The introduction of the API description names
 * them, so that generated clients have no methods for them.
 */
@ApiExcludeController()
@Controller()
export class LegacyRoutesController {
  @Get(MANIFEST_FLOW)
  @LegacyRoute()
  getLegacyRoute(): never {
    throw gone();
  }

  @Post([...MANIFEST_FLOW, 'setup'])
  @LegacyRoute()
  postLegacyRoute(): never {
    throw gone();
  }

  @Put('setup')
  @LegacyRoute()
  putLegacyRoute(): never {
    throw gone();
  }
}

const gone = (): DomainError =>
  new DomainError('gone', 'This route does not exist any more. Run "npm run setup", or use POST /api/config/setup.');
