import { applyDecorators, Controller, Get, HttpCode, HttpStatus, Post, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../auth/access.decorators.js';
import { BodyKind } from '../../http/body/body-parser.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';

const SENTENCE = 'This route does not exist any more. Run "npm run setup", or use POST /api/config/setup.';

/**
 * A route by which former versions stored credentials. Its body is never read. Each method declares the status itself, because
 * the build reads it there for the API description.
 */
const LegacyRoute = (): MethodDecorator =>
  applyDecorators(
    Public(),
    RateLimited('public'),
    BodyKind('raw'),
    ApiOperation({ summary: 'Removed: a former version stored credentials here', deprecated: true }),
    ErrorResponses({ 410: SENTENCE }),
  );

/** Routes of former versions. Each responds with 410 and the route to use instead. */
@ApiTags('configuration')
@Controller()
export class LegacyRoutesController {
  @Get('manifest-start')
  @HttpCode(HttpStatus.GONE)
  @LegacyRoute()
  manifestStart(): never {
    return throwGone();
  }

  @Post('manifest-start')
  @HttpCode(HttpStatus.GONE)
  @LegacyRoute()
  manifestStartPost(): never {
    return throwGone();
  }

  @Get('manifest-callback')
  @HttpCode(HttpStatus.GONE)
  @LegacyRoute()
  manifestCallback(): never {
    return throwGone();
  }

  @Post('manifest-callback')
  @HttpCode(HttpStatus.GONE)
  @LegacyRoute()
  manifestCallbackPost(): never {
    return throwGone();
  }

  @Get('api/config/manifest-start')
  @HttpCode(HttpStatus.GONE)
  @LegacyRoute()
  configManifestStart(): never {
    return throwGone();
  }

  @Post('api/config/manifest-start')
  @HttpCode(HttpStatus.GONE)
  @LegacyRoute()
  configManifestStartPost(): never {
    return throwGone();
  }

  @Get('api/config/manifest-callback')
  @HttpCode(HttpStatus.GONE)
  @LegacyRoute()
  configManifestCallback(): never {
    return throwGone();
  }

  @Post('api/config/manifest-callback')
  @HttpCode(HttpStatus.GONE)
  @LegacyRoute()
  configManifestCallbackPost(): never {
    return throwGone();
  }

  @Post('setup')
  @HttpCode(HttpStatus.GONE)
  @LegacyRoute()
  setup(): never {
    return throwGone();
  }

  @Put('setup')
  @HttpCode(HttpStatus.GONE)
  @LegacyRoute()
  setupPut(): never {
    return throwGone();
  }
}

function throwGone(): never {
  throw new DomainError('gone', SENTENCE);
}
