import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '../../auth/access.decorators.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { ServiceKeysDto } from './signing.dto.js';
import { SigningService } from './signing.service.js';

@ApiTags('audit')
@Controller('.well-known')
export class SigningController {
  constructor(private readonly keys: SigningService) {}

  @Get('shipgate-keys.json')
  @Public()
  @RateLimited('public')
  @Header('Cache-Control', 'public, max-age=300')
  @ApiOperation({ summary: 'List the public keys of the service, to verify its signatures' })
  @ApiOkResponse({
    type: ServiceKeysDto,
    description: 'All keys, including retired ones, because their signatures stay valid.',
  })
  @ErrorResponses({ 503: 'A required system is not available.' })
  async listSigningKeys(): Promise<ServiceKeysDto> {
    return this.keys.getKeySet();
  }
}
