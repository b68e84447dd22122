import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CiAuth, CurrentCaller } from '../../auth/access.decorators.js';
import type { CiCaller } from '../../auth/caller.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { CredentialDto } from './api-keys.dto.js';
import { ApiKeysService } from './api-keys.service.js';

@ApiTags('keys')
@Controller('api/credential')
export class CredentialController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  @CiAuth('any')
  @RateLimited('gate')
  @ApiOperation({ summary: 'Describe the credential of this request' })
  @ApiOkResponse({ type: CredentialDto, description: 'What the API key or the identity token may do, and until when.' })
  async describeCredential(@CurrentCaller() caller: CiCaller): Promise<CredentialDto> {
    return this.keys.describe(caller);
  }
}
