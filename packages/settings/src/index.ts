// Public exports of `settings`.

export type { WorkspaceContents, BroughtConfiguration } from './workspace-contents.ts';
export { CONFIGURATION_PATH, readBrought, readBroughtConfiguration } from './workspace-contents.ts';
export type { Leaf } from './check-settings.ts';
export type { Environment } from './environment-settings.ts';
export { variableOf } from './environment-settings.ts';
export type { GrantRecord } from './grants.ts';
export { keepGrant, listGrants, openGrants, revokeGrants } from './grants.ts';
export type { LoginStore } from './login-store.ts';
export { openLogins } from './login-store.ts';
export type { HeaderSetting, HeaderSettings } from './headers.ts';
export { isCredentialHeader } from './headers.ts';
export type { HookSetting } from './hook-settings.ts';
export type { Keyring } from './keyring.ts';
export { systemKeyring } from './keyring.ts';
export type { NamedBySetting } from './named-files.ts';
export type { EditedServers, ServerScope } from './edit-servers.ts';
export { editServers, serversInFile } from './edit-servers.ts';
export type { ServerSetting, ServerValue } from './server-settings.ts';
export type { Display, Settings } from './settings.ts';
export { isOwnOnly } from './settings.ts';
export { showable } from './showable.ts';
export type { SettingsErrorCode } from './settings-error.ts';
export { SETTINGS_ERRORS, SettingsError } from './settings-error.ts';
export type {
  BroughtSettings,
  EffectiveSetting,
  ServerSource,
  SettingSource,
  SettingsRequest,
  SettledSettings,
} from './settle.ts';
export { readSettings, settingsBrought } from './settle.ts';
export type { TrustDecision, TrustRecord, TrustState } from './trust.ts';
export { canKeepTrust, judgeTrust, liesInside, listTrust, recordTrust, revokeTrust } from './trust.ts';
export { isStorableServerName } from './server-settings.ts';
