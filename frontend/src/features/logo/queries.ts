import { graphql, type ResultOf } from '@/data/graphql';

export const logoSettingQuery = graphql(`
  query FindSystemSettingById($id: String!) {
    setting: findSystemSettingById(id: $id) {
      id
      value
      updatedAt
      updatedBy
      version
    }
  }
`);

/** Reads who changed the logo last, after a version conflict. */
export const logoVersionQuery = graphql(`
  query LogoVersion($id: String!) {
    current: findSystemSettingById(id: $id) {
      version
      updatedAt
      updatedBy
    }
  }
`);

export const mutatePresignedUrlMutation = graphql(`
  mutation MutatePresignedUrl($url: String!) {
    mutatePresignedUrl(url: $url) {
      presignedUrl
    }
  }
`);

export const updateLogoMutation = graphql(`
  mutation UpdateSettingValue($input: UpdateSettingValueInput!) {
    updateSettingValue(input: $input) {
      id
      value
      version
    }
  }
`);

export type LogoSetting = NonNullable<ResultOf<typeof logoSettingQuery>['setting']>;
