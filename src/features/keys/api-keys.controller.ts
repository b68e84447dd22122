import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorResponses } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { CreateApiKeyDto, ApiKeysDto, NewApiKeyDto } from './api-keys.dto.js';
import type { ApiKey } from './api-keys.repository.js';
import { ApiKeysService } from './api-keys.service.js';

@ApiTags('keys')
@RateLimited('session')
@Controller('api/settings/api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'The API keys of the workspace, without their secrets' })
  @ApiOkResponse({ type: ApiKeysDto, description: 'Every key that is not revoked.' })
  async list(@CurrentCaller() caller: MemberCaller): Promise<ApiKeysDto> {
    return { keys: (await this.keys.list(caller)).map(shown) };
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Make an API key for a CI system' })
  @ApiCreatedResponse({ type: NewApiKeyDto, description: 'The key with its secret, which is shown this once.' })
  @ErrorResponses({
    404: 'The workspace has no such repository, or it is hidden from you.',
    409: 'The workspace has 100 keys that are not revoked.',
  })
  async create(
    @CurrentCaller() caller: MemberCaller,
    @Body() { name, scopes, repos, expiresAt }: CreateApiKeyDto,
  ): Promise<NewApiKeyDto> {
    const { secret, key } = await this.keys.create(caller, {
      name,
      scopes,
      repos: repos ?? null,
      expiresAt: expiresAt ? new Date(expiresAt) : null,
    });
    return { ...shown(key), key: secret };
  }

  @Delete(':id')
  @Requires('admin')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Revoke an API key, at once and for good' })
  @ApiParam({ name: 'id', format: 'uuid', description: 'The id of the key.' })
  @ApiNoContentResponse({ description: 'The key opens nothing any more.' })
  @ErrorResponses({ 404: 'The workspace has no such key.' })
  revoke(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<void> {
    return this.keys.revoke(caller, id);
  }
}

const shown = ({ repos, ...key }: ApiKey) => ({ ...key, ...(repos && { repos }) });
