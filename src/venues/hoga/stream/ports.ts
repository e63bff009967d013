/**
 * What the stream needs from outside besides a socket: reads of the account by REST, which close the gap after a lost connection.
 * `OpenApiClient` satisfies `StreamReader` by shape.
 */
import type {
  Accounts,
  FillPage,
  FillsRequest,
  Order,
  OrderPage,
  OrdersRequest,
  Result,
} from "../../../contract/index.ts";

export interface StreamReader {
  streamToken(): Promise<Result<{ readonly token: string }>>;
  accounts(): Promise<Result<Accounts>>;
  orders(request: OrdersRequest): Promise<Result<OrderPage>>;
  order(symbol: string, orderId: string): Promise<Result<Order>>;
  fills(request: FillsRequest): Promise<Result<FillPage>>;
}
