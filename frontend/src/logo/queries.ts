import { graphql } from '@/data/graphql';

export const logoInformationQuery = graphql(`
  query GetLogoInformation($id: String!) {
    logoInformation: getLogoInformation(id: $id) {
      id
      value
    }
  }
`);
