import { Module } from '@nestjs/common';
import { HostTokenWiping } from './host-token-wiping.js';
import { HostTokensRepository } from './tokens/repository-tokens.repository.js';
import { HostTokens } from './tokens/repository-tokens.service.js';
import { TokenEnvelope } from './tokens/token-encryption.service.js';

@Module({
  providers: [HostTokenWiping, HostTokens, HostTokensRepository, TokenEnvelope],
  exports: [HostTokens],
})
export class HostTokensModule {}
