import { Controller, Get, Post, Body, Delete, HttpCode, HttpStatus, Param } from '@nestjs/common';
import { ApiTags, ApiOperation, ApiOkResponse, ApiCreatedResponse, ApiNoContentResponse } from '@nestjs/swagger';
import { Requires, CurrentCaller } from '../../auth/access.decorators.js';
import type { MemberCaller } from '../../auth/caller.js';
import { ErrorResponses, ErrorCodes, IdParam } from '../../http/openapi.decorators.js';
import { RateLimited } from '../../http/rate-limit/rate-limit.guard.js';
import { PersonalKeysDto, NewPersonalKeyDto, CreatePersonalKeyDto } from './personal-keys.dto.js';
import { PersonalKeysService } from './personal-keys.service.js';

@ApiTags('keys')
@RateLimited('session')
@Controller('api/settings/mcp-keys')
export class PersonalKeysController {
  constructor(private readonly keys: PersonalKeysService) {}

  @Get()
  @Requires('member')
  @ApiOperation({ summary: 'List your own keys for remote tools in the workspace, without their secrets' })
  @ApiOkResponse({ type: PersonalKeysDto, description: 'All your keys that are not revoked.' })
  async listPersonalKeys(@CurrentCaller() caller: MemberCaller): Promise<PersonalKeysDto> {
    return { keys: await this.keys.list(caller) };
  }

  @Post()
  @Requires('member')
  @ApiOperation({ summary: 'Create a key for your own tools, valid for 30 days' })
  @ApiCreatedResponse({
    type: NewPersonalKeyDto,
    description: 'The key with its secret, which no later response contains.',
  })
  @ErrorResponses({ 409: 'You have 10 live keys in your workspaces.' })
  @ErrorCodes({ 409: ['key_limit'] })
  async createPersonalKey(
    @CurrentCaller() caller: MemberCaller,
    @Body() request: CreatePersonalKeyDto,
  ): Promise<NewPersonalKeyDto> {
    return this.keys.create(caller, request);
  }

  @Delete(':id')
  @Requires('member')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({ summary: 'Revoke one of your own keys permanently' })
  @IdParam('key')
  @ApiNoContentResponse({ description: 'The key is revoked.' })
  @ErrorResponses({ 404: 'You have no such key in the workspace.' })
  revokePersonalKey(@CurrentCaller() caller: MemberCaller, @Param('id') id: string): Promise<void> {
    return this.keys.revoke(caller, id);
  }
}
