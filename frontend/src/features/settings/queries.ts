import { graphql, type ResultOf } from '@/data/graphql';

export const systemSettingsQuery = graphql(`
  query SystemSettingsPage($page: PageOptions, $where: [Filter!]) {
    systemSettings(page: $page) {
      id
      name
      value
      type
      group
      options
      isSecret
      isDefault
      updatedAt
      updatedBy
    }
    systemSettingsCount(where: $where) {
      total
      exact
    }
  }
`);

export const systemSettingQuery = graphql(`
  query FindSystemSettingById($id: String!) {
    systemSetting: findSystemSettingById(id: $id) {
      id
      name
      value
      type
      group
      description
      min
      max
      pattern
      options
      plannerVisible
      isSecret
      isDefault
      updatedAt
      updatedBy
      version
      history {
        at
        actor
        before
        after
      }
    }
  }
`);

/** Reads who changed a setting last, after a version conflict. */
export const settingVersionQuery = graphql(`
  query SettingVersion($id: String!) {
    current: findSystemSettingById(id: $id) {
      version
      updatedAt
      updatedBy
    }
  }
`);

export const updateSettingValueMutation = graphql(`
  mutation UpdateSettingValue($input: UpdateSettingValueInput!) {
    updateSettingValue(input: $input) {
      id
      name
      value
      updatedAt
      updatedBy
    }
  }
`);

export type SettingRow = ResultOf<typeof systemSettingsQuery>['systemSettings'][number];
export type Setting = NonNullable<ResultOf<typeof systemSettingQuery>['systemSetting']>;
export type SettingType = Setting['type'];
