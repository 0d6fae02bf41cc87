import { fireEvent, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { listOf } from '@/test/accounts';
import { deliveryRow, lookedAtAll } from '@/test/deliveries';
import { rosa, startFakeServer } from '@/test/fake-server';
import { deliveryForm, formVersion } from '@/test/forms';
import { renderRoutes } from '@/test/render';
import { startReportPage } from '@/test/report-page';
import { declarations } from './declarations';
// Loaded up front, so that no test waits for a lazy import.
import '@/features/deliveries/deliveries-page';
import '@/features/delivery-forms/forms-page';
import '@/features/delivery-forms/view-form-page';
import '@/features/reports/report-page';
import '@/ui/charts/plot';

// As when the connection is lost.
vi.mock('@/features/deliveries/bulk/assign-dialog', () => {
  throw new Error('chunk');
});
vi.mock('@/lib/xlsx', () => {
  throw new Error('chunk');
});
vi.mock('client-zip', () => {
  throw new Error('chunk');
});
vi.mock('@/ui/qr-code', () => {
  throw new Error('chunk');
});

const missing = () =>
  screen.findByText("Part of this page couldn't be loaded. Check your connection and try again.");

it('keeps the list and its selection when a bulk action cannot be loaded', async () => {
  lookedAtAll();
  startFakeServer({ user: rosa, operations: { DeliveriesPage: () => listOf('deliveries', [deliveryRow(1)]) } });
  renderRoutes(declarations, '/deliveries');
  fireEvent.click(await screen.findByLabelText('Select DR-1'));
  fireEvent.click(await screen.findByText('Assign driver'));
  expect(await missing()).toBeInTheDocument();
  expect(screen.getByLabelText('Select DR-1')).toBeChecked();
});

it('does not print a delivery form without its QR code, and says why', async () => {
  const print = vi.spyOn(window, 'print').mockImplementation(() => undefined);
  const delivery = {
    __typename: 'Delivery',
    id: 'DR-1184102',
    deliverystatus: 'Complete_With_Variance',
    formVersion: 2,
    forms: [formVersion(2)],
  };
  startFakeServer({
    user: rosa,
    operations: { ViewForm: () => ({ data: { delivery, deliveryForm: deliveryForm(2) } }) },
  });
  renderRoutes(declarations, '/forms/DR-1184102');
  expect(await missing()).toBeInTheDocument();
  fireEvent.click(screen.getByText('Print'));
  expect(await screen.findByText(/^The form can't be printed because its QR code couldn't be loaded/)).toBeInTheDocument();
  expect(print).not.toHaveBeenCalled();
});

it('says why delivery forms could not be packed', async () => {
  startFakeServer({
    user: rosa,
    operations: { FormsPage: () => listOf('deliveries', [deliveryRow(1, { formVersion: 2 })]) },
  });
  const { user } = renderRoutes(declarations, '/forms');
  await user.click(await screen.findByLabelText('Select DR-1'));
  await user.click(await screen.findByRole('button', { name: 'Download forms' }));
  await user.click(await screen.findByRole('button', { name: 'Download' }));
  expect(await screen.findByText("The ZIP file couldn't be created")).toBeInTheDocument();
  expect(await missing()).toBeInTheDocument();
});

it('says that a report could not be saved as Excel', async () => {
  startReportPage();
  const { user } = renderRoutes(declarations, '/report');
  await screen.findByRole('region', { name: /^Deliveries by/ });
  await user.click(screen.getByRole('button', { name: 'Save as Excel' }));
  expect(await missing()).toBeInTheDocument();
});
