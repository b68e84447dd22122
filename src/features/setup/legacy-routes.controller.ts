import { applyDecorators, Controller, Get, HttpCode, HttpStatus, Post, Put } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../auth/access.decorators.js';
import { BodyKind } from '../../http/body/body-parser.js';
import { DomainError } from '../../http/errors/domain-error.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';

const SENTENCE = 'Credentials are no longer written here: run "npm run setup", or use POST /api/config/setup.';

/**
 * A route that former versions wrote credentials by. Its body is never looked at. The status stands on each method, where
 * the build looks for what the description is to promise.
 */
const Former = (): MethodDecorator =>
  applyDecorators(
    Public(),
    RateLimited('public'),
    BodyKind('raw'),
    ApiOperation({ summary: 'Gone: credentials were written here once', deprecated: true }),
    ErrorResponses({ 410: SENTENCE }),
  );

/** Routes of former versions, which must not be taken for anything else: whoever still calls one is told what to do. */
@ApiTags('configuration')
@Controller()
export class LegacyRoutesController {
  @Get('manifest-start')
  @HttpCode(HttpStatus.GONE)
  @Former()
  manifestStart(): never {
    return gone();
  }

  @Post('manifest-start')
  @HttpCode(HttpStatus.GONE)
  @Former()
  manifestStartPost(): never {
    return gone();
  }

  @Get('manifest-callback')
  @HttpCode(HttpStatus.GONE)
  @Former()
  manifestCallback(): never {
    return gone();
  }

  @Post('manifest-callback')
  @HttpCode(HttpStatus.GONE)
  @Former()
  manifestCallbackPost(): never {
    return gone();
  }

  @Get('api/config/manifest-start')
  @HttpCode(HttpStatus.GONE)
  @Former()
  configManifestStart(): never {
    return gone();
  }

  @Post('api/config/manifest-start')
  @HttpCode(HttpStatus.GONE)
  @Former()
  configManifestStartPost(): never {
    return gone();
  }

  @Get('api/config/manifest-callback')
  @HttpCode(HttpStatus.GONE)
  @Former()
  configManifestCallback(): never {
    return gone();
  }

  @Post('api/config/manifest-callback')
  @HttpCode(HttpStatus.GONE)
  @Former()
  configManifestCallbackPost(): never {
    return gone();
  }

  @Post('setup')
  @HttpCode(HttpStatus.GONE)
  @Former()
  setup(): never {
    return gone();
  }

  @Put('setup')
  @HttpCode(HttpStatus.GONE)
  @Former()
  setupPut(): never {
    return gone();
  }
}

function gone(): never {
  throw new DomainError('gone', SENTENCE);
}
