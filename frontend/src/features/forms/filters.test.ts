import { expect, it } from 'vitest';
import * as deliveries from '../deliveries/filters';
import * as forms from './filters';

it('finds forms by what finds deliveries', () => {
  expect(forms.filters).toEqual(deliveries.filters);
  expect(forms.views).toEqual(deliveries.views);
});
