/** A system setting with the fields that the list and its page request. */
export function setting(id: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'SystemSetting',
    id,
    name: 'Attempts per delivery',
    value: '3',
    type: 'number',
    group: 'Deliveries',
    description: 'How often a delivery is tried before it is given up.',
    min: '1',
    max: '20',
    pattern: null,
    options: [],
    plannerVisible: true,
    isSecret: false,
    isDefault: false,
    updatedAt: '2026-10-30T09:12:00Z',
    updatedBy: 'dennis',
    version: 3,
    history: [],
    ...changes,
  };
}

export function settingChange(before: string, after: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: 'SettingChange',
    at: '2026-10-30T09:12:00Z',
    actor: 'dennis',
    before,
    after,
    ...changes,
  };
}

export const LOGO_ID = 'customer-logo-information';
export const LOGO_URL = `https://waybill.example/logo/${'ab'.repeat(32)}.png`;
/** The path from which the app loads the logo. */
export const LOGO_PATH = `/logo/${'ab'.repeat(32)}.png`;

export function logoValue(changes: Record<string, unknown> = {}) {
  return JSON.stringify({
    url: LOGO_URL,
    size: 116,
    gap: 12,
    vertical: -3,
    urlObject: 'https://waybill.example/objects/logos/incoming/k1.png',
    ...changes,
  });
}

/** Response of `GetLogoInformation`. */
export function logoInformation(value: string | null) {
  const found = value === null ? null : { __typename: 'SystemSetting', id: LOGO_ID, value };
  return { data: { logoInformation: found } };
}

/** The server's error for a version conflict. */
export const settingChanged = {
  errors: [
    {
      message: 'dennis changed this setting meanwhile.',
      extensions: { code: 'FAILED_PRECONDITION', reason: 'SETTING_CHANGED' },
    },
  ],
};
