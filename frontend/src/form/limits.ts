/** Characters that the server takes at most, and items of a delivery. A test of the server compares them. */
export const limits = {
  code: 64,
  name: 200,
  shortName: 100,
  note: 2000,
  phone: 40,
  email: 254,
  unit: 20,
  username: 64,
  person: 100,
  licenceNumber: 40,
  vehiclePlate: 20,
  language: 35,
  items: 5000,
} as const;

/** An email address at first sight. The server asks for more, and says so at the field. */
export const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** Text that is not only space. */
export const said = { validate: { required: (text: string) => text.trim() !== '' } };
