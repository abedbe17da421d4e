import CRabbitMQ
import Glibc

/// Starts the thread that owns a connection.
enum ConnectionThread {
    static func start(_ core: ConnectionCore) throws(RabbitMQError) {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(core)
        let status = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                let core = Unmanaged<ConnectionCore>.fromOpaque(argument).takeRetainedValue()
                longshore_name_thread("rabbitmq")
                Driver(core).run()
                return nil
            }, argument.toOpaque())
        guard status == 0 else {
            argument.release()
            throw RabbitMQError(
                .connectionRefused, "no thread can be made (errno \(status)): raise the limit of threads")
        }
        pthread_detach(thread)
    }
}
