public import Foundation

/// The ledger's face to those who register delegates at run time. Every change is durable when it returns.
public protocol DelegateRegister: Sendable {
    /// All of them, by name; those that were removed while what waited for them was not struck off yet included.
    func registrations() async throws(UploadError) -> [DelegateRegistration]

    /// - Throws: `rejected` if there is one of this name.
    func register(_ registration: DelegateRegistration) async throws(UploadError)

    /// - Throws: `rejected` if there is none of this name, or it was removed.
    func redefine(_ name: String, _ definition: Data, at: Date) async throws(UploadError)

    /// Marks a delegate as removed, which hears of nothing more; ``DeliveryHistory/forget(_:)`` ends it. Nobody may be recording
    /// for it at the time, or what is recorded afterwards is never told.
    /// - Parameter discarding: whether to do so though something waits for it.
    /// - Returns: how many outcomes it has not taken, given up ones included. More than 0 without `discarding`: nothing is changed.
    /// - Throws: `rejected` if there is none of this name.
    func unregister(_ name: String, discarding: Bool, at: Date) async throws(UploadError) -> Int
}
