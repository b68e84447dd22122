import { applyDecorators, Controller, Get, Post, Put } from '@nestjs/common';
import { ApiGoneResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../auth/access-rule.js';
import { DomainError } from '../../http/domain-error.js';
import { Answers } from '../../http/openapi/answers.decorator.js';
import { ReadsBody } from '../../http/body/body-kind.js';
import { RateLimited } from '../../http/rate-limit/rate-limited.decorator.js';

const SENTENCE = 'Credentials are no longer written here: run "npm run setup", or use POST /api/config/setup.';

/** A route that former versions wrote credentials by. Its body is never looked at. */
const Former = (): MethodDecorator =>
  applyDecorators(
    Public(),
    RateLimited('public'),
    ReadsBody('raw'),
    ApiOperation({ summary: 'Gone: credentials were written here once', deprecated: true }),
    // Declared as an answer, too: else the description would promise a success.
    ApiGoneResponse({ description: SENTENCE }),
    Answers({ 410: SENTENCE }),
  );

/** Routes of former versions, which must not be taken for anything else: whoever still calls one is told what to do. */
@ApiTags('configuration')
@Controller()
export class FormerRoutesController {
  @Get('manifest-start')
  @Former()
  manifestStart(): never {
    return gone();
  }

  @Post('manifest-start')
  @Former()
  manifestStartPost(): never {
    return gone();
  }

  @Get('manifest-callback')
  @Former()
  manifestCallback(): never {
    return gone();
  }

  @Post('manifest-callback')
  @Former()
  manifestCallbackPost(): never {
    return gone();
  }

  @Get('api/config/manifest-start')
  @Former()
  configManifestStart(): never {
    return gone();
  }

  @Post('api/config/manifest-start')
  @Former()
  configManifestStartPost(): never {
    return gone();
  }

  @Get('api/config/manifest-callback')
  @Former()
  configManifestCallback(): never {
    return gone();
  }

  @Post('api/config/manifest-callback')
  @Former()
  configManifestCallbackPost(): never {
    return gone();
  }

  @Post('setup')
  @Former()
  setup(): never {
    return gone();
  }

  @Put('setup')
  @Former()
  setupPut(): never {
    return gone();
  }
}

function gone(): never {
  throw new DomainError('gone', SENTENCE);
}
