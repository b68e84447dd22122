import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentCaller, Requires } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorCodes, ErrorResponses, IdParam } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { CreateApiKeyDto, ApiKeysDto, NewApiKeyDto } from './api-keys.dto.js';
import { ApiKeysService } from './api-keys.service.js';

@ApiTags('keys')
@RateLimited('session')
@Controller('api/settings/api-keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'List the API keys of the workspace, without their secrets' })
  @ApiOkResponse({ type: ApiKeysDto, description: 'Every key that is not revoked.' })
  async listApiKeys(@CurrentCaller() caller: MemberCaller): Promise<ApiKeysDto> {
    return { keys: await this.keys.list(caller) };
  }

  @Post()
  @Requires('admin')
  @ApiOperation({ summary: 'Create an API key for a CI system' })
  @ApiCreatedResponse({ type: NewApiKeyDto, description: 'The key with its secret, which no later response contains.' })
  @ErrorResponses({
    404: 'The workspace has no such repository, or you cannot read it.',
    409: 'The workspace has 100 keys that are not revoked.',
  })
  @ErrorCodes({ 409: ['key_limit'] })
  async createApiKey(
    @CurrentCaller() caller: MemberCaller,
    @Body() { name, scopes, repos, expiresAt }: CreateApiKeyDto,
  ): Promise<NewApiKeyDto> {
    return this.keys.create(caller, {
      name,
      scopes,
      repos: repos ?? null,
      expiresAt: expiresAt ? new Date(expiresAt) : null,
    });
  }

  @Delete(':id')
  @Requires('admin')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Revoke an API key permanently' })
  @IdParam('key')
  @ApiNoContentResponse({ description: 'The key is revoked.' })
  @ErrorResponses({ 404: 'The workspace has no such key.' })
  revokeApiKey(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<void> {
    return this.keys.revoke(caller, id);
  }
}
